import { enableCompileCache } from "node:module";

// First of all: what was compiled once, in this thread or another, is not compiled again.
enableCompileCache();
void import("./worker-main.ts");
