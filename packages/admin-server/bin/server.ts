#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is imported, so that a start takes what the last one compiled.
enableCompileCache();
const { main } = await import("../src/cli/main.ts");

process.exit(await main(process.argv.slice(2)));
