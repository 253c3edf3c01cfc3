#include <dsk/kernel.hpp>

#include <gtest/gtest.h>

#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(NystromText, IsRead) {
  EXPECT_EQ(parse_nystrom("nystrom:250").landmarks, 250);
  EXPECT_FALSE(parse_nystrom("nystrom:250").error);
  EXPECT_EQ(parse_nystrom("nystrom:error=0.05").error, 0.05);
  EXPECT_EQ(parse_nystrom("nystrom:error=0").error, 0);
  EXPECT_EQ(parse_nystrom("nystrom:auto").error, 0.01);
  EXPECT_EQ(parse_nystrom("nystrom:auto").landmarks, 2000);
}

TEST(NystromText, OtherTextIsRefused) {
  for (const std::string text :
       {"", "nystrom", "nystrom:", "nystrom:0", "nystrom:-3", "nystrom:1.5", "nystrom:100001", "nystrom:many",
        "nystrom:12 ", "nystrom:error=", "nystrom:error=1", "nystrom:error=-1", "nystrom:error=nan", "nystrom:Auto",
        "fourier:100", "100", "nystrom:99999999999999999999"}) {
    const std::string said = message_of([&] { parse_nystrom(text); });
    EXPECT_TRUE(said.starts_with("approximation '" + text + "' is unknown; use nystrom:M")) << said;
  }
  EXPECT_EQ(message_of([] { parse_landmarks("best"); }),
            "unknown landmarks 'best'; use one of adaptive, greedy, uniform");
  for (const Landmarks choice : {Landmarks::adaptive, Landmarks::greedy, Landmarks::uniform})
    EXPECT_EQ(parse_landmarks(name(choice)), choice);
}

}  // namespace
}  // namespace dsk::test
