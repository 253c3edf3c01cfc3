#include <cli/program.hpp>

#include <filesystem>

namespace dsk::test {
namespace {

/// In /proc nobody can make files, not even root.
TEST_F(Program, EveryOutputIsTestedBeforeTheWorkStarts) {
  for (const std::string arguments :
       {"distance none.npz -o /proc/D.npy", "distance none.npz -o D.npy --json /proc/D.json",
        "kernel none.npz --theta 1 -o /proc/K.npy", "learn none.npz -o /proc/k.dsk",
        "learn none.npz -o k.dsk --json /proc/k.json", "train none.npz -o /proc/m.dsk",
        "train none.npz -o m.dsk --json /proc/m.json", "predict none.dsk none.npz -o /proc/p.csv",
        "predict none.dsk none.npz --json /proc/p.json", "evaluate none.npz --json /proc/r.json",
        "evaluate none.npz --report /proc/r.html", "describe series none.npz -o /proc/S.npz",
        "describe series none.npz -o S.npz --preview /proc/S.png", "describe texture none -o /proc/T.npz",
        "experiment brain --data none --report /proc/e.html", "experiment brain --data none --text /proc/e.md",
        "experiment brain --data none --json /proc/e.json", "demo -o demo --json /proc/d.json", "demo -o /proc/demo"})
    EXPECT_SAYS(refusal(arguments), "/proc/");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
}

TEST_F(Program, TwoOutputsCannotBeOneFile) {
  put("r.json", "{}");
  std::filesystem::create_symlink("r.json", *this / "link.html");
  for (const std::string arguments :
       {"evaluate x.npz --json r.json --report r.json", "evaluate x.npz --json r.json --report link.html",
        "evaluate x.npz --json r.json --report ./r.json", "train x.npz -o m.dsk --json m.dsk",
        "learn x.npz -o k.dsk --json k.dsk", "predict m.dsk x.npz -o p.csv --json p.csv",
        "experiment brain --report e.html --text e.html", "experiment brain --json e.json --text e.json",
        "describe series x.npz -o S.npz --json S.npz", "demo -o demo --json demo/report.html"})
    EXPECT_SAYS(refusal(arguments), "is named for two results; give them different files");
}

TEST_F(Program, MatricesThatNeedNoRepairStayAsTheyAre) {
  put("some.csv", "1,2,1,1,2\n2,1,1,1,1\n1,3,0,0,1\n");
  const Outcome needed = run("distance some.csv --repair ridge:0.1 -o D.npy --json D.json");
  EXPECT_EQ(needed.status, 0);
  EXPECT_EQ(needed.err,
            "dsk: note: some.csv: 1 of 3 matrices repaired (ridge:0.1 where needed), largest relative change 0.0707\n");
  EXPECT_SAYS(get("D.json"), "\"changed\": 1");
  EXPECT_SAYS(run("distance some.csv --repair-all ridge:0.1 -o D.npy").err, "3 of 3 matrices repaired (ridge:0.1)");
  EXPECT_SAYS(run("train x.npz --neighbours 1 --repair clip -o m.dsk").err, "0 of 3 matrices repaired");
  EXPECT_SAYS(run("predict m.dsk some.csv --repair clip").err, "1 of 3 matrices repaired");
  EXPECT_SAYS(refusal("distance some.csv --repair ridge --repair-all ridge -o D.npy"), "--repair");
  EXPECT_SAYS(refusal("distance some.csv --repair-all pray -o D.npy"), "pray");
}

}  // namespace
}  // namespace dsk::test
