#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { exitNow } from "lifecycle/exit-now";
import { keepYoungSpace } from "../src/cli/young-space.ts";

// Called before all other imports, so that this start uses the code that the previous start compiled.
enableCompileCache();
keepYoungSpace();
void import("../src/main.ts").then(({ main }) => main(process.argv.slice(2))).then(exitNow);
