#!/usr/bin/env node
import { main } from "../src/main.ts";

const { argv, env, stdin, stdout, stderr } = process;
void main(argv.slice(2), { environment: env, input: stdin, output: stdout, errors: stderr }).then((code) => {
  process.exitCode = code;
});
