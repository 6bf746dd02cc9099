#!/bin/bash
# one_core.sh NAME [ARGUMENT...] -- bench/NAME.sh with all its programs on one core, where they take turns.
exec taskset -c 0 "$(dirname "$0")/$1.sh" "${@:2}"
