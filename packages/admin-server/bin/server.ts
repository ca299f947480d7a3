#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { exitNow } from "lifecycle/exit-now";
import { keepYoungSpace } from "../src/cli/young-space.ts";

// Before anything else is imported, so that a start takes what the last one compiled.
enableCompileCache();
keepYoungSpace();
void import("../src/main.ts").then(({ main }) => main(process.argv.slice(2))).then(exitNow);
