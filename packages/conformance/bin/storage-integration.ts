import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../src/all-processes/tested-process.ts";

const help = `Runs the storage suite of the public model (Jaeger 1.62, plugin/storage/integration), with its own client, over the
remote storage API.

Usage: npm run conformance -- storage [options]

  --address <host:port>  a remote storage with --multi-tenancy.enabled, since each test gets a tenant of its own;
                         without it, a tracing-storage is started on an empty folder

Needs Go, which fetches the suite's modules the first time; without it, says so and ends. Exit code 0 when nothing failed.
`;

const suiteFolder = fileURLToPath(new URL("../storage-integration/", import.meta.url));

/** Runs the command `storage`. @returns the exit code */
export async function storageIntegrationCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { address: { type: "string" }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (spawnSync("go", ["version"]).status !== 0) {
    console.log("skipped: there is no Go here");
    return 0;
  }
  if (values.address !== undefined) {
    return await runSuite(values.address);
  }
  const folder = mkdtempSync(join(tmpdir(), "storage-integration-"));
  const [http = "", api = "", admin = ""] = await freeAddresses(3);
  const storage = new TestedProcess(
    "tracing-storage",
    "tracing-storage/bin/tracing-storage.ts",
    [
      ...["--storage.data-dir", folder, "--storage.http.host-port", http],
      ...["--grpc.host-port", api, "--multi-tenancy.enabled", "--admin.http.host-port", admin],
    ],
    `http://${admin}/`,
  );
  try {
    await storage.start();
    return await runSuite(api);
  } finally {
    await storage.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSuite(address: string): Promise<number> {
  const suite = spawn("go", ["test", "-count=1", "-v", "./..."], {
    cwd: suiteFolder,
    env: { ...process.env, REMOTE_STORAGE: address },
    stdio: "inherit",
  });
  const [code] = (await once(suite, "close")) as [number | null];
  return code ?? 1;
}
