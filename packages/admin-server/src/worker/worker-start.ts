import { enableCompileCache } from "node:module";

// This call comes before the import, so that code which any thread compiled is not compiled again.
enableCompileCache();
void import("./worker-main.ts");
