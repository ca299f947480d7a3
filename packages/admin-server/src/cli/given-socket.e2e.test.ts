import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ask } from "../testing/ask.ts";

const program = fileURLToPath(new URL("../../bin/server.ts", import.meta.url));

test("the admin endpoint may be a socket that the process was given: fd/3", async () => {
  const folder = await mkdtemp(join(tmpdir(), "given-socket-"));
  const given = createServer().listen(0, "127.0.0.1");
  await once(given, "listening");
  const { port } = given.address() as { port: number };
  const { fd } = (given as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const child = spawn(process.execPath, [program, "run"], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, SERVER_ADMIN: "fd/3" },
    stdio: ["ignore", "ignore", "pipe", fd],
  });
  try {
    const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
    for await (const line of lines) {
      if (/ runs"/.test(line)) {
        break;
      }
    }
    child.stderr?.resume();
    given.close(); // from now on the child alone listens
    // No address, no names: any Host may ask.
    const answer = await ask(`http://127.0.0.1:${port}/config/`, { headers: { Host: "anything" } });
    expect([answer.status, answer.text]).toEqual([200, "null\n"]);
  } finally {
    child.kill("SIGKILL");
    await once(child, "close");
    await rm(folder, { recursive: true });
  }
});
