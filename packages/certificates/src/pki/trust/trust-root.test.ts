import type { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { selfSigned } from "../../testing/self-signed.ts";
import { findProgram, type Machine, runProgram, thisMachine } from "./machine.ts";
import { installRoot, removeRoot } from "./trust-root.ts";
import { storeName } from "./trust-store.ts";

let root: X509Certificate;
let folder: string;
beforeAll(async () => {
  root = (await selfSigned("Local Authority - ECC Root", { names: [], pathLength: 1 })).certificate;
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trust-test-"));
  await mkdir(join(folder, "bin"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A machine whose files are below a folder; its programs record the arguments of each call. */
function machine(more: Partial<Machine> = {}): Machine {
  const environment = { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, HOME: join(folder, "home") };
  return { platform: "linux", environment, root: folder, privileged: true, interactive: false, ...more };
}

async function program(name: string, body = ""): Promise<void> {
  const path = join(folder, "bin", name);
  await writeFile(path, `#!/bin/sh\necho "${name} $*" >> "${folder}/calls"\n${body}\n`);
  await chmod(path, 0o755);
}

const calls = async () =>
  (await readFile(join(folder, "calls"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");

describe.skipIf(process.platform === "win32")("the system's store", () => {
  test.each([
    ["Debian", "usr/local/share/ca-certificates", "crt", "update-ca-certificates", "update-ca-certificates "],
    ["Red Hat", "etc/pki/ca-trust/source/anchors", "pem", "update-ca-trust", "update-ca-trust extract"],
    ["SUSE", "usr/share/pki/trust/anchors", "crt", "update-ca-certificates", "update-ca-certificates "],
    ["Arch", "etc/ca-certificates/trust-source/anchors", "crt", "trust", "trust extract-compat"],
  ])("of %s gets the root as a file, and loses it again", async (_, path, ending, name, call) => {
    await mkdir(join(folder, path), { recursive: true });
    await program(name);
    expect(await installRoot(machine(), root)).toEqual([
      { store: `system (${join(folder, path)})`, fault: undefined },
    ]);
    const file = `Local_Authority_-_ECC_Root_${BigInt(`0x${root.serialNumber}`)}.${ending}`;
    expect(await readdir(join(folder, path))).toEqual([file]);
    expect(await readFile(join(folder, path, file), "utf8")).toBe(root.toString());
    await removeRoot(machine(), root);
    expect(await readdir(join(folder, path))).toEqual([]);
    expect(await calls()).toEqual([call, call]);
  });

  test("is changed through sudo by others than root, which asks nobody where nobody is", async () => {
    await mkdir(join(folder, "usr/local/share/ca-certificates"), { recursive: true });
    await program("update-ca-certificates");
    await program("sudo", 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"');
    await installRoot(machine({ privileged: false }), root);
    expect(
      (await calls()).filter((line) => line.startsWith("sudo")).map((line) => line.slice(0, 16)),
    ).toEqual(["sudo -n -- tee /", expect.stringMatching(/^sudo -n -- \//)]);
    await installRoot(machine({ privileged: false, interactive: true }), root);
    expect((await calls()).at(-1)).not.toContain("-n");
  });

  test("that refuses is named with what its program said", async () => {
    await mkdir(join(folder, "usr/local/share/ca-certificates"), { recursive: true });
    await program("update-ca-certificates", "echo no space >&2; exit 3");
    const [outcome] = await installRoot(machine(), root);
    expect(outcome?.fault).toBe("update-ca-certificates: exit code 3: no space");
  });

  test("of macOS and Windows is changed by their own programs", async () => {
    await program("security");
    await program("certutil.exe");
    await installRoot(machine({ platform: "darwin" }), root);
    await removeRoot(machine({ platform: "darwin" }), root);
    await installRoot(machine({ platform: "win32" }), root);
    await removeRoot(machine({ platform: "win32" }), root);
    const keychain = "/Library/Keychains/System.keychain";
    expect(await calls()).toEqual([
      expect.stringMatching(new RegExp(`^security add-trusted-cert -d -k ${keychain} /.*root.pem$`)),
      expect.stringMatching(/^security remove-trusted-cert -d \/.*root.pem$/),
      expect.stringMatching(/^certutil.exe -user -addstore -f ROOT \/.*root.pem$/),
      `certutil.exe -user -delstore ROOT ${root.serialNumber}`,
    ]);
  });

  test("that is not there is an error", async () => {
    await expect(installRoot(machine(), root)).rejects.toThrow("no trust store is known on this system");
    await expect(installRoot(machine({ platform: "aix" }), root)).rejects.toThrow("(aix)");
  });
});

describe.skipIf(process.platform === "win32")("other stores", () => {
  test("databases of browsers get it by certutil, each on its own", async () => {
    for (const path of ["home/.pki/nssdb", "home/.mozilla/firefox/a.default", "home/.mozilla/firefox/old"]) {
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, path.endsWith("old") ? "cert8.db" : "cert9.db"), "");
    }
    await program("certutil", 'case "$*" in *dbm:*) echo too old; exit 1;; esac');
    const outcomes = await installRoot(machine(), root);
    expect(outcomes.map(({ store, fault }) => [store.replace(folder, ""), fault])).toEqual([
      ["NSS (sql:/home/.pki/nssdb)".replace("sql:", "sql:"), undefined],
      ["NSS (sql:/home/.mozilla/firefox/a.default)", undefined],
      ["NSS (dbm:/home/.mozilla/firefox/old)", "certutil -A: exit code 1: too old"],
    ]);
    await removeRoot(machine(), root);
    expect((await calls()).at(-2)).toContain(`certutil -D -n ${storeName(root)} -d sql:`);
  });

  const keytool = "/usr/bin/keytool";
  test.skipIf(!existsSync(keytool))(
    "the key store of Java gets it by keytool (skipped without Java)",
    async () => {
      const home = join(folder, "java");
      await mkdir(join(home, "lib/security"), { recursive: true });
      await mkdir(join(home, "bin"));
      await symlink(keytool, join(home, "bin/keytool"));
      const store = join(home, "lib/security/cacerts");
      const host = machine({ environment: { ...process.env, HOME: folder, JAVA_HOME: home } });
      // The store must not be empty at the start.
      const made = [
        "-genkeypair",
        "-alias",
        "x",
        "-keyalg",
        "EC",
        "-dname",
        "CN=x",
        "-keystore",
        store,
        "-storepass",
        "changeit",
      ];
      expect((await runProgram(host, keytool, made)).code).toBe(0);
      const aliases = async () =>
        (await runProgram(host, keytool, ["-list", "-keystore", store, "-storepass", "changeit"])).output;
      expect(await installRoot(host, root)).toEqual([{ store: `Java (${store})`, fault: undefined }]);
      expect(await aliases()).toContain(storeName(root).toLowerCase());
      await removeRoot(host, root);
      expect(await aliases()).not.toContain(storeName(root).toLowerCase());
    },
    60_000,
  );
});

test("programs that are not there, or that fail, are told of", async () => {
  expect(await findProgram(machine(), "no-such-program")).toBeUndefined();
  expect((await runProgram(thisMachine(false), "/no/such/program", [])).code).toBe(127);
});
