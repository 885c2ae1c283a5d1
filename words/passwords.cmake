# The commonest passwords out of zxcvbn's lists, commonest first: cmake -DLISTS=… -DOUT=… -P passwords.cmake
set(MOST 10000)
file(READ ${LISTS} TEXT)
string(REGEX MATCH "\"passwords\": \"([^\"]*)\"" TEXT "${TEXT}")
string(REGEX REPLACE "[;\\]" "" TEXT "${CMAKE_MATCH_1}")
string(REPLACE "," ";" TEXT "${TEXT}")
list(LENGTH TEXT N)
if(N LESS MOST)
  message(FATAL_ERROR "${LISTS} has ${N} passwords and not ${MOST}")
endif()
list(SUBLIST TEXT 0 ${MOST} TEXT)
list(JOIN TEXT "\\n\"\n\t\"" TEXT)
file(WRITE ${OUT} "/* Made of zxcvbn's lists by words/passwords.cmake. */\n#include \"words/passwords.h\"\n\n"
  "const char passwords_table[] =\n\t\"\\n\"\n\t\"${TEXT}\\n\";\n")
