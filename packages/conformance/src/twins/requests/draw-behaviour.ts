import type { RandomSource } from "../../serverfile/random-source.ts";
import { behaviourNames } from "../upstream/behaviours.ts";
import { oddFieldLines, oddStartLines } from "../upstream/broken-behaviours.ts";
import { scriptNames } from "../upstream/fastcgi-upstream.ts";

/** Arguments of those behaviours that have arguments. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  status: ["201", "204", "301", "304", "400", "401", "404", "410", "418", "500", "502", "503", "504", "599"],
  body: ["0", "1", "511", "512", "2047", "2048", "2049", "5000", "70000", "1200000"],
  chunked: ["1", "512", "2049", "70000"],
  type: ["text/html", "application/json", "image/png", "text/css; charset=utf-8", "application/octet-stream"],
  pieces: ["sse", "ndjson", "text", "html", "grpcweb", "binary", "none"],
  interim: ["100", "102", "103"],
  fields: ["20", "200"],
  "long-field": ["5000", "70000", "1100000"],
  redirect: ["301", "302", "307", "308"],
  slow: ["30", "60"],
  start: oddStartLines,
  field: oddFieldLines,
  "grpc-error": [""],
};

const names: readonly string[] = [
  ...behaviourNames.filter((name) => name !== "auth"),
  "grpc",
  "grpc-stream",
  "grpc-error",
];

/** Draws the behaviour of an upstream in an exchange. @param preferred drawn more often */
export function drawBehaviour(random: RandomSource, preferred: readonly string[] = []): string {
  if (preferred.length > 0 && random.below(3) > 0) {
    return random.pick(preferred);
  }
  if (random.below(5) === 0) {
    return `script=${random.pick(scriptNames)}`;
  }
  const name = random.pick(names);
  const choices = argumentsOf[name];
  return choices === undefined ? name : `${name}=${random.pick(choices)}`;
}
