/** A command line that is run with the public model and with our program. */
export interface CommandQuestion {
  readonly args: readonly string[];
  /** Files of the working folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The way to compare standard output, in addition to the exit code. `text`: unchanged; `json`: parsed; `shape`: by a
   * hash of its shape; `ignored`: not compared; `contains`: it must have this text.
   */
  readonly stdout: "text" | "json" | "shape" | "ignored" | { readonly contains: string };
  /** Files that are compared afterwards. */
  readonly changes?: readonly string[];
}

const formatted = ":8080 {\n\trespond hi\n}\n";
const unformatted = ":8080   {\n  respond    hi\n\n\n}\n\n# end";
const site = { Caddyfile: formatted };

/**
 * All questions, by name. Our commands and files have the same names, except `Serverfile`; our program reads a
 * Caddyfile, too.
 */
export const commandQuestions: Readonly<Record<string, CommandQuestion>> = {
  "adapt the file of the working folder": { args: ["adapt"], files: site, stdout: "json" },
  "adapt by name": {
    args: ["adapt", "-c", "a.caddyfile"],
    files: { "a.caddyfile": formatted },
    stdout: "json",
  },
  "adapt --pretty": { args: ["adapt", "--pretty", "--config=Caddyfile"], files: site, stdout: "text" },
  "adapt standard input": {
    args: ["adapt", "--config", "-", "--adapter", "caddyfile"],
    input: "example.com\nencode\nfile_server browse\n",
    stdout: "json",
  },
  "adapt --validate": { args: ["adapt", "--validate"], files: site, stdout: "json" },
  "adapt --envfile": {
    args: ["adapt", "--envfile", "a.env", "--envfile", "b.env"],
    files: {
      Caddyfile: ':80\nrespond "{$GREETING} {$NAME} {$SET}"',
      "a.env": 'export GREETING="hello"\nSET=file',
      "b.env": "NAME='you' # not me",
    },
    environment: { SET: "before" },
    stdout: "json",
  },
  "adapt what is no Caddyfile": {
    args: ["adapt"],
    files: { Caddyfile: ":80 {\n\tnope\n}\n" },
    stdout: "text",
  },
  "adapt a file that is not there": { args: ["adapt", "--config", "none"], stdout: "text" },
  "adapt without a file": { args: ["adapt"], stdout: "text" },
  "adapt by an unknown adapter": { args: ["adapt", "--adapter", "nope"], files: site, stdout: "text" },
  "adapt with a bad envfile": {
    args: ["adapt", "--envfile", "a.env"],
    files: { ...site, "a.env": "A B=c" },
    stdout: "text",
  },
  "adapt an unknown option": { args: ["adapt", "--bogus"], files: site, stdout: "text" },
  validate: { args: ["validate"], files: site, stdout: "text" },
  "validate JSON": { args: ["validate", "-c", "a.json"], files: { "a.json": '{"apps":{}}' }, stdout: "text" },
  "validate an unknown app": {
    args: ["validate", "-c", "a.json"],
    files: { "a.json": '{"apps":{"nope":{}}}' },
    stdout: "text",
  },
  "validate what is no JSON": {
    args: ["validate", "-c", "a.json"],
    files: { "a.json": "{" },
    stdout: "text",
  },
  "validate without a file": { args: ["validate"], stdout: "text" },
  fmt: { args: ["fmt"], files: { Caddyfile: formatted }, stdout: "text" },
  "fmt what is not formatted": { args: ["fmt"], files: { Caddyfile: unformatted }, stdout: "text" },
  "fmt --diff": { args: ["fmt", "--diff", "Caddyfile"], files: { Caddyfile: unformatted }, stdout: "text" },
  "fmt --overwrite": {
    args: ["fmt", "--overwrite", "--config", "Caddyfile"],
    files: { Caddyfile: unformatted },
    stdout: "text",
    changes: ["Caddyfile"],
  },
  "fmt standard input": { args: ["fmt", "-"], input: unformatted, stdout: "text" },
  "fmt two files": { args: ["fmt", "a", "b"], files: { a: formatted, b: formatted }, stdout: "text" },
  "fmt a file and --config": { args: ["fmt", "a", "-c", "a"], files: { a: formatted }, stdout: "text" },
  "fmt a file that is not there": { args: ["fmt", "none"], stdout: "text" },
  "hash-password --plaintext": {
    args: ["hash-password", "--plaintext", "x", "--bcrypt-cost", "4"],
    stdout: "shape",
  },
  "hash-password of standard input": {
    args: [
      "hash-password",
      "--algorithm",
      "argon2id",
      "--argon2id-memory",
      "64",
      "--argon2id-time",
      "2",
      "--argon2id-keylen",
      "16",
    ],
    input: "secret\r\n",
    stdout: "shape",
  },
  "hash-password of nothing": { args: ["hash-password"], stdout: "text" },
  "hash-password of too much": { args: ["hash-password"], input: "a".repeat(73), stdout: "text" },
  "hash-password by an unknown algorithm": {
    args: ["hash-password", "-p", "x", "-a", "md5"],
    stdout: "text",
  },
  "environ --envfile": {
    args: ["environ", "--envfile", "a.env"],
    files: { "a.env": "TRIED=yes" },
    stdout: { contains: "\nTRIED=yes\n" },
  },
  "list-modules": { args: ["list-modules"], stdout: { contains: "\nhttp.handlers.reverse_proxy\n" } },
  "list-modules --skip-standard": { args: ["list-modules", "--skip-standard"], stdout: "text" },
  "list-modules --json": {
    args: ["list-modules", "--json"],
    stdout: { contains: '"module_name": "http.handlers.vars",\n    "module_type": "standard"' },
  },
  "reload without a file": { args: ["reload"], stdout: "text" },
  "reload a server that is not there": {
    args: ["reload", "--address", "127.0.0.1:1"],
    files: site,
    stdout: "text",
  },
  "stop a server that is not there": { args: ["stop", "--address", "127.0.0.1:1"], stdout: "text" },
  "run a file that is not there": { args: ["run", "--config", "none"], stdout: "text" },
  "run --adapter without a file": { args: ["run", "--adapter", "caddyfile"], stdout: "text" },
  "start what does not run": {
    args: ["start", "--config", "a.json"],
    files: { "a.json": '{"apps":{"nope":{}}}' },
    stdout: "text",
  },
  "storage export": {
    args: ["storage", "export", "--config", "a.json", "--output", "-"],
    files: {
      "a.json": '{"storage":{"module":"file_system","root":"data"}}',
      "data/pki/x": "value",
      "data/y": "",
    },
    stdout: { contains: "pki/x\0" },
  },
  "storage export without an output": {
    args: ["storage", "export", "--config", "a.json"],
    files: { "a.json": "{}" },
    stdout: "text",
  },
  "storage import what is no archive": {
    args: ["storage", "import", "--config", "a.json", "--input", "a.tar"],
    files: {
      "a.json": '{"storage":{"module":"file_system","root":"data"}}',
      "a.tar": "no archive".repeat(100),
    },
    stdout: "text",
  },
  "respond with two operands": { args: ["respond", "a", "b"], stdout: "text" },
  "respond overridden": { args: ["respond", "--status", "200", "--body", "a", "404"], stdout: "text" },
  "respond with a bad header": { args: ["respond", "--header", "x"], stdout: "text" },
  "reverse-proxy to nowhere": { args: ["reverse-proxy"], stdout: "text" },
  "reverse-proxy from a path": { args: ["reverse-proxy", "--from", "a/b", "--to", ":1"], stdout: "text" },
  "file-server with an unknown compression": {
    args: ["file-server", "--precompressed", "nope"],
    stdout: "text",
  },
  "completion bash": { args: ["completion", "bash"], stdout: { contains: "reverse-proxy" } },
  "completion of an unknown shell": { args: ["completion", "tcsh"], stdout: "text" },
  "manpage without a folder": { args: ["manpage"], stdout: "text" },
  "an unknown command": { args: ["bogus"], stdout: "text" },
  "no command": { args: [], stdout: { contains: "reverse-proxy" } },
  help: { args: ["help"], stdout: { contains: "reverse-proxy" } },
  "help of a command": { args: ["help", "run"], stdout: { contains: "--resume" } },
  "--help of a command": { args: ["run", "--help"], stdout: { contains: "--resume" } },
  "storage alone": { args: ["storage"], stdout: { contains: "export" } },
};
