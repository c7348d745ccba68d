# is_fresh ROOT: was dist/ built after the newest change of what it is built from? One `find`, no Node.
# The build itself writes to native/build.
is_fresh() {
  local root=$1 stamp=$1/dist/.stamp
  [[ -e $stamp ]] || return 1
  [[ -z $(find "$root"/{src,prove,native,scripts,package.json,package-lock.json,tsconfig.json,tsconfig.build.json} \
    -path "$root/native/build" -prune -o ! -path "$root/native" -newer "$stamp" -print -quit 2>&1) ]]
}
