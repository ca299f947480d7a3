import { enableCompileCache } from "node:module";

// Called before the import, so that all threads use the same compiled code.
enableCompileCache();
void import("./worker-main.ts");
