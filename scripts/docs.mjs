// npm run docs: prepares the tree, then builds the documentation as a site.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
const program = "packages/docs-site/bin/docs-site.ts";
process.exit(run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root }) ? 0 : 1);
