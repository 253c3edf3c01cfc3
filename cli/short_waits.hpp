#pragma once

namespace dsk::cli {

/// OpenMP's threads spin while they wait for each other, for longer than most of our work takes; where other programs
/// run, that slows them and us several times. They shall spin for some microseconds only, then sleep. The OpenMP
/// library reads its settings before main, so the program starts itself again with them, unless the user has made some.
void wait_shortly(char** arguments);

}  // namespace dsk::cli
