import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { cleanPath } from "./clean-path.ts";
import { percentDecode } from "./percent-encoding.ts";
import { RequestTarget } from "./request-target.ts";
import { bytesOfText } from "./text-of-bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "targets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("/", "/", "a", "admin", "..", ".", "b", "?", "//") },
  { weight: 2, arbitrary: fc.constantFrom(..."#\\\"<>^`{|};,=&'()*[]:@!$~+") },
  fc.constantFrom("%2f", "%2E%2e", "%2e", "%5c", "%23", "%3F", "%25", "%20", "%41", "%ff", "%C3%A9", "%0a"),
  fc.constantFrom("\xc3\xa9", "\xff", "\xe2\x84\xaa", "\xc3"),
);

/** Targets that clients may send. Each run of this file uses the same targets. */
const targets = fc
  .sample(fc.array(part, { maxLength: 9 }), { numRuns: 3000, seed: 20261127 })
  .map((parts) => RequestTarget.parse(`/${parts.join("")}`))
  .filter((target) => typeof target !== "string");

/**
 * The path that decided, as bytes. At a dot segment at the end, some programs leave a slash; Go and the model do not.
 */
function decided({ path }: RequestTarget): string {
  return bytesOfText(cleanPath(path)).replace(/(?<=.)\/$/, "");
}

/** The path as another program reads and cleans it. */
function seen(path: string): string {
  return cleanPath(path).replace(/(?<=.)\/$/, "");
}

function isThere(program: string, ...options: string[]): boolean {
  return spawnSync(program, options).status === 0;
}

test("enough targets, odd ones among them", () => {
  expect(targets.length).toBeGreaterThan(2000);
  expect(targets.filter(({ path }) => /[#\\]/.test(path)).length).toBeGreaterThan(300);
});

test("the WHATWG reader of URLs sees the path and the query that decided", () => {
  for (const target of targets) {
    const url = new URL(`http://h${target.text}`);
    expect(seen(bytesOfText(percentDecode(url.pathname) ?? "")), target.text).toBe(decided(target));
    expect(url.hash).toBe("");
    expect([...url.searchParams]).toEqual([...new URLSearchParams(target.query)]);
  }
});

describe.skipIf(!isThere("go", "version"))("Go's net/http (skipped without go)", () => {
  test("sees the path that decided", () => {
    const program = join(folder, "main.go");
    writeFileSync(
      program,
      `package main
import ("bufio"; "encoding/hex"; "fmt"; "net/http"; "os"; "strings")
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + lines.Text() + " HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n")))
		if err != nil { fmt.Println("error", err); continue }
		fmt.Println(hex.EncodeToString([]byte(r.URL.Path)))
	}
}
`,
    );
    const lines = execFileSync("go", ["run", program], {
      input: targets.map(({ text }) => `${text}\n`).join(""),
      encoding: "utf8",
      env: { ...process.env, GO111MODULE: "off", GOFLAGS: "" },
    }).split("\n");
    for (const [index, target] of targets.entries()) {
      const path = Buffer.from(lines[index] ?? "", "hex").toString("latin1");
      expect(path, target.text).toBe(bytesOfText(target.path));
    }
  });
});

describe.skipIf(!isThere("php-cgi", "-v"))("PHP (skipped without php-cgi)", () => {
  test("sees the path that decided", () => {
    const [script, list] = [join(folder, "read.php"), join(folder, "targets.json")];
    writeFileSync(list, JSON.stringify(targets.map(({ text }) => text)));
    writeFileSync(
      script,
      `<?php foreach (json_decode(file_get_contents(${JSON.stringify(list)})) as $target) {
  echo bin2hex(rawurldecode((string) parse_url("http://h" . $target, PHP_URL_PATH))), "\\n";
}`,
    );
    const lines = execFileSync("php-cgi", ["-q", "-n", script], { encoding: "utf8", maxBuffer: 1e8 }).split(
      "\n",
    );
    for (const [index, target] of targets.entries()) {
      const path = Buffer.from(lines[index] ?? "", "hex").toString("latin1");
      expect(path, target.text).toBe(bytesOfText(target.path));
    }
  }, 60_000);
});

const nginx = ["/usr/sbin/nginx", "nginx"].find((program) => isThere(program, "-v"));
describe.skipIf(nginx === undefined)("nginx (skipped without nginx)", () => {
  test("refuses a target, or sees the path that decided", async () => {
    const socket = join(folder, "nginx.sock");
    const config = join(folder, "nginx.conf");
    writeFileSync(
      config,
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; keepalive_requests 100000;
  server { listen unix:${socket}; location / { default_type text/plain; return 200 "$uri"; } } }
`,
    );
    const child = spawn(nginx ?? "", ["-p", folder, "-c", config], { stdio: "ignore" });
    try {
      let compared = 0;
      for (const target of targets.slice(0, 800)) {
        const answer = await askOverSocket(socket, target.text);
        const cut = answer.indexOf("\r\n\r\n");
        if (/^HTTP\/1.1 4/.test(answer)) {
          continue; // for example `..` above the root
        }
        expect(seen(answer.slice(cut + 4)), target.text).toBe(decided(target));
        compared++;
      }
      expect(compared).toBeGreaterThan(400);
    } finally {
      child.kill("SIGKILL");
    }
  }, 60_000);
});

/** Asks until the program listens. */
async function askOverSocket(path: string, target: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(path, () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    try {
      return await promise;
    } catch (error) {
      if (tries >= 200) {
        throw error;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
