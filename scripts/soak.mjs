// npm run soak: prepares the tree, then loads everything for a long time.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/bench/bin/bench.ts";
process.exit(run(process.execPath, [program, "soak", ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
