import { enableCompileCache } from "node:module";

// First of all: what was compiled once, in this thread or another, is not compiled again.
enableCompileCache();
await import("./worker-main.ts");
