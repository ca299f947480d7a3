// npm run conformance: prepares the tree, then runs packages/conformance.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/conformance/bin/conformance.ts";
process.exit(run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
