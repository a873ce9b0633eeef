# cmake --install: bin/fusec with what it reads at run time below share/fusec, where it looks first. The prefix may be moved.
include(GNUInstallDirs)
set(data "${CMAKE_INSTALL_DATADIR}/fusec")
install(TARGETS fusec_program RUNTIME)
install(TARGETS fusec_analyse RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fusec")
install(DIRECTORY perfmodel/devices DESTINATION "${data}" FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY perfmodel/calibrations DESTINATION "${data}" FILES_MATCHING PATTERN "*.json")
install(DIRECTORY perfmodel/probes DESTINATION "${data}" FILES_MATCHING PATTERN "*.fus" PATTERN "*.cu" PATTERN "*.cuh")
install(DIRECTORY perfmodel/analysis/toolkit DESTINATION "${data}" FILES_MATCHING PATTERN "*.h")
# Elementary functions and the emulated cuda_runtime.h; the catalog's own sources stay behind.
install(DIRECTORY elementary-lib DESTINATION "${data}"
    FILES_MATCHING PATTERN "*.toml" PATTERN "*.cuh" PATTERN "*.h"
    PATTERN runtime EXCLUDE)
install(DIRECTORY elementary-lib/runtime DESTINATION "${data}/elementary-lib")
