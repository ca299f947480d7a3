import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("./fixtures/exit-while-looking-up.ts", import.meta.url));
// Commands that give a process its own network and list of mounts, with or without the rights of root.
const ways = [
  ["unshare", "--net", "--mount"],
  ["unshare", "--net", "--mount", "--map-root-user"],
];

test.for([
  { system: "a system", hidesShell: false },
  { system: "an image without a shell", hidesShell: true },
])(
  "a process of $system ends though a name server owes it an answer (needs unshare and ip)",
  ({ hidesShell }, { skip }) => {
    if (hidesShell && dirname(realpathSync(process.execPath)) === realpathSync("/bin")) {
      return skip("Node is where the shell is");
    }
    const folder = mkdtempSync(join(tmpdir(), "exit-now-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // One try of 30 s, which is the most that the system's library takes.
    const resolver = join(folder, "resolv.conf");
    writeFileSync(resolver, "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n");
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const prepare = [
      `mount --bind '${resolver}' /etc/resolv.conf`,
      "ip link set lo up",
      ...(hidesShell ? [`mount --bind '${empty}' "$(readlink -f /bin)"`] : []),
    ].join(" && ");
    const inside = (way: readonly string[], script: string) => {
      const [command = "", ...args] = way;
      return spawnSync(command, [...args, "sh", "-c", script], { timeout: 180_000, encoding: "utf8" });
    };
    const way = ways.find((each) => inside(each, prepare).status === 0);
    if (way === undefined) {
      return skip("this machine gives no network of one's own");
    }
    const { status, signal, stderr } = inside(way, `${prepare} && exec '${process.execPath}' '${program}'`);
    expect({ status, signal, stderr }).toEqual({ status: 7, signal: null, stderr: "" });
  },
);
