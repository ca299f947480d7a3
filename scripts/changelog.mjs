// npm run changelog: puts the notes of changelog.d/ into CHANGELOG.md, before a tag.

import { prepare, root, run } from "./prepare.mjs";

await prepare();
process.exit(run(process.execPath, ["packages/docs-site/bin/cut-changelog.ts"], { cwd: root }) ? 0 : 1);
