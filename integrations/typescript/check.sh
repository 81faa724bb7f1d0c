#!/bin/sh
# Build the client beside its packages and try it on the server that MEMSITE_URL names. Its types have to be the server's;
# `check.sh write` writes them anew.
set -e
here=$(cd "$(dirname "$0")" && pwd)
stand=${FRAMEWORKS:?where its packages are}-node
rm -rf "$stand/src" "$stand/dist" "$stand/test" "$stand/new"
cp -R "$here/." "$here/../../examples/vercel_ai_agent.mjs" "$stand"
cd "$stand"
mkdir new
node generate.mjs "$MEMSITE_URL/api/schema?format=json" new
if [ "$1" = write ]; then cp new/* "$here/src"; exit; fi
diff -r new src -x index.ts -x ai.ts >&2 || { echo "The API has changed: make typescript-types" >&2; exit 1; }
node_modules/.bin/tsc
node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module NodeNext --target ES2023 test/types.ts
node --test test/*.test.mjs
