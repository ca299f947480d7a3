// Programs of others in the folder that PEERS names: `.ci/run` has them built while the checks run.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const wanted = [
  "actionlint",
  "caddy",
  "gofakes3",
  "grpcurl",
  "h2spec",
  "helm",
  "http3-client",
  "jaeger-agent",
  "jaeger-all-in-one",
  "jaeger-collector",
  "jaeger-query",
  "jaeger-remote-storage",
  "pebble",
  "pebble-challtestsrv",
  "remote-write-receiver",
  "toxiproxy-server",
  "versitygw",
];
/** Longer than `.ci/run` lets a build take. */
const limitMs = 600_000;

/** Whether the process that wrote its number into a file still runs. */
function isBuilding(file) {
  if (!existsSync(file)) {
    return false;
  }
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until nobody builds programs any more, and says which there are: tests look only once. */
// biome-ignore lint/suspicious/noUndeclaredEnvVars: no task of turbo reads it.
export async function waitForPeers(folder = process.env.PEERS, limit = limitMs) {
  if (folder === undefined || !existsSync(folder)) {
    return;
  }
  const begin = Date.now();
  while (isBuilding(join(folder, ".building")) && Date.now() - begin < limit) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const here = new Set(readdirSync(folder));
  const missing = wanted.filter((name) => !here.has(name));
  const seconds = Math.round((Date.now() - begin) / 1000);
  process.stdout.write(
    `programs of others in ${folder}: ${wanted.filter((name) => here.has(name)).join(", ") || "none"}` +
      `${missing.length === 0 ? "" : `; not there, so that tests skip: ${missing.join(", ")}`} (waited ${seconds} s)\n`,
  );
}
