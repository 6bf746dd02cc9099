# installed_links.cmake -- links of installed documents lead to what is installed.
#
#   cmake -DDOCUMENTS=DIR -DHEADERS=DIR -P installed_links.cmake
#
# A link to a header leads to where headers are installed; one to a file that stands in the sources alone becomes its text
# and the file's name.
file(GLOB_RECURSE pages ${DOCUMENTS}/*.md)
set(up "(\\.\\./)*")
foreach(page IN LISTS pages)
  file(READ ${page} was)
  get_filename_component(folder ${page} DIRECTORY)
  file(RELATIVE_PATH headers ${folder} ${HEADERS})
  string(REGEX REPLACE "\\]\\(${up}include/hindcast(/[^)]*)?\\)" "](${headers}\\2)" text "${was}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\(${up}((src|tests|tools|bench|worlds|python|report|cmake|packaging)(/[^)#]*)?)(#[^)]*)?\\)"
         "\\1 (\\3 of the sources)" text "${text}")
  if(NOT text STREQUAL was)
    file(WRITE ${page} "${text}")
  endif()
endforeach()
