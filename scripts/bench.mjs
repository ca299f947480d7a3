// npm run bench: prepares the tree, then runs packages/bench.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/bench/bin/bench.ts";
process.exit(run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
