# core.cmake -- a build of the core alone (HC_CORE): its package, and with Emscripten a module for pages.
#
# The package is called hindcast_core, so that it may stand beside the whole library's.

if(EMSCRIPTEN)
  # Emscripten defines `unix` even for -std=c17, and it is a name like any other.
  target_compile_options(hc_flags INTERFACE -Uunix)
  add_executable(hindcast_module src/core/module.c)
  target_include_directories(hindcast_module PRIVATE include)
  target_link_libraries(hindcast_module PRIVATE hc_core)
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/hindcast/embed.h lines REGEX "^HC_API .*hc_embed_[a-z]+\\(")
  set(exports _malloc,_free)
  foreach(line ${lines})
    string(REGEX REPLACE "^HC_API .*(hc_embed_[a-z]+)\\(.*" "\\1" name "${line}")
    string(APPEND exports ",_${name}")
  endforeach()
  target_link_options(hindcast_module PRIVATE --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH
                      -sEXPORTED_FUNCTIONS=${exports})
  set_target_properties(hindcast_module PROPERTIES OUTPUT_NAME hindcast SUFFIX .wasm)
endif()

if(NOT HC_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(HC_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hindcast_core)
configure_package_config_file(cmake/hindcast_coreConfig.cmake.in hindcast_coreConfig.cmake
                              INSTALL_DESTINATION ${HC_PACKAGE_DIR})
write_basic_package_version_file(hindcast_coreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS hc_core EXPORT hindcast_coreTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT hindcast_coreTargets NAMESPACE hindcast:: DESTINATION ${HC_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/hindcast_coreConfig.cmake ${PROJECT_BINARY_DIR}/hindcast_coreConfigVersion.cmake
        DESTINATION ${HC_PACKAGE_DIR})
install(DIRECTORY include/hindcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
