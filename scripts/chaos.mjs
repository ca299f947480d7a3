// npm run chaos: prepares the tree, then breaks what runs.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/conformance/bin/chaos.ts";
process.exit(run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
