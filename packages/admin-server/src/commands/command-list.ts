import type { Command } from "../cli/command.ts";

/** All commands, in the order of the help. Each command is loaded on use, so that small commands start fast. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./run.ts")).run,
  start: async () => (await import("./start.ts")).start,
  stop: async () => (await import("./stop.ts")).stop,
  reload: async () => (await import("./reload.ts")).reload,
  adapt: async () => (await import("./adapt.ts")).adapt,
  validate: async () => (await import("./validate.ts")).validate,
  fmt: async () => (await import("./fmt.ts")).fmt,
  "file-server": async () => (await import("./file-server.ts")).fileServer,
  "file-server export-template": async () =>
    (await import("./file-server-export-template.ts")).fileServerExportTemplate,
  "reverse-proxy": async () => (await import("./reverse-proxy.ts")).reverseProxy,
  "docker-proxy": async () => (await import("./docker-proxy.ts")).dockerProxy,
  kubernetes: async () => (await import("./kubernetes.ts")).kubernetes,
  mcp: async () => (await import("./mcp.ts")).mcp,
  respond: async () => (await import("./respond.ts")).respond,
  "hash-password": async () => (await import("./hash-password.ts")).hashPassword,
  "storage export": async () => (await import("./storage-export.ts")).storageExport,
  "storage import": async () => (await import("./storage-import.ts")).storageImport,
  "list-modules": async () => (await import("./list-modules.ts")).listModules,
  "add-package": async () => (await import("./add-package.ts")).addPackage,
  "remove-package": async () => (await import("./remove-package.ts")).removePackage,
  upgrade: async () => (await import("./upgrade.ts")).upgrade,
  trust: async () => (await import("./trust.ts")).trust,
  untrust: async () => (await import("./untrust.ts")).untrust,
  environ: async () => (await import("./environ.ts")).environ,
  "build-info": async () => (await import("./build-info.ts")).buildInfo,
  completion: async () => (await import("./completion.ts")).completion,
  manpage: async () => (await import("./manpage.ts")).manpage,
  version: async () => (await import("./version.ts")).versionCommand,
  help: async () => (await import("./help.ts")).help,
};

/** Names of all commands, including names of two words. */
export const commandNames: readonly string[] = Object.keys(commands);

/** Loads a command by name. @returns undefined for an unknown name */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(commands, name) ? commands[name]?.() : undefined;
}

/** Loads all commands for lists: help, completion and manual pages. */
export function loadAllCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}
