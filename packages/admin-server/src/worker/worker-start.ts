import { enableCompileCache } from "node:module";

// Called before the import, so that code compiled by any thread is not compiled again.
enableCompileCache();
void import("./worker-main.ts");
