#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is imported, so that a start takes what the last one compiled.
enableCompileCache();
void import("../src/cli/main.ts")
  .then(({ main }) => main(process.argv.slice(2)))
  .then((code) => process.exit(code));
