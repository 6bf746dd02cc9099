# commit.cmake -- which commit of the project is built: writes OUT, a header, if it would say something else than before.
#
# Run at each build (some 20 ms), so that the command is made anew when HEAD moves or files are changed, and only then.
# Outside of the project's own repository (a release, a copy within another one) the commit is unknown.
#   cmake -DSOURCE=... -DOUT=... -P commit.cmake

set(commit unknown)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(real ${SOURCE} REALPATH)
  if(top STREQUAL real)
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE head ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${git} -C ${SOURCE} --no-optional-locks status --porcelain -uno OUTPUT_VARIABLE changes
                    ERROR_QUIET)
    if(head)
      set(commit ${head})
      if(changes)
        set(commit "${head}, changed")
      endif()
    endif()
  endif()
endif()

set(text "/* Made by cmake/commit.cmake. */\n#define CLI_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} ${text})
endif()
