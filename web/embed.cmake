# Pages and the style sheet into the program: cmake -DDIR=… -DOUT=… -P embed.cmake
#
# login.html becomes `const char web_login_html[]`, declared in OUT/pages.h.
file(GLOB FILES ${DIR}/*.html ${DIR}/*.css ${DIR}/*.js ${DIR}/*.svg)
list(SORT FILES)
set(H "/* Made of the files of web/ by web/embed.cmake. */\n")
set(C "#include \"web/pages.h\"\n\n")
foreach(FILE IN LISTS FILES)
  file(READ ${FILE} TEXT)
  get_filename_component(NAME ${FILE} NAME)
  string(MAKE_C_IDENTIFIER "web_${NAME}" SYMBOL)
  string(REPLACE "\\" "\\\\" TEXT "${TEXT}")
  string(REPLACE "\"" "\\\"" TEXT "${TEXT}")
  string(REPLACE "\n" "\\n\"\n\t\"" TEXT "${TEXT}")
  string(APPEND H "extern const char ${SYMBOL}[];\n")
  string(APPEND C "const char ${SYMBOL}[] =\n\t\"${TEXT}\";\n\n")
endforeach()
file(WRITE ${OUT}/pages.h "${H}")
file(WRITE ${OUT}/pages.c "${C}")
