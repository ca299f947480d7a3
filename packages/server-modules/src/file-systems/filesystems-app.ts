import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import { type FileSystem, fileSystems } from "./file-system.ts";

export const filesystemsAppName = "caddy.filesystems";

const schema = z.strictObject({
  filesystems: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe("Name by which `fs` of handlers and matchers means it."),
        file_system: inlineModule("caddy.fs", "backend").describe("Where the files are: {backend: s3, …}."),
      }),
    )
    .nullish()
    .describe("File systems besides the machine's own."),
});

/** The file systems of a config, by name. */
export type NamedFileSystems = ReadonlyMap<string, FileSystem>;

async function load(config: z.infer<typeof schema>, context: ModuleContext): Promise<NamedFileSystems> {
  const found = new Map<string, FileSystem>();
  for (const [position, { name, file_system }] of (config.filesystems ?? []).entries()) {
    const place = `filesystems/${position}/file_system`;
    found.set(name, await context.loadInline(fileSystems, "backend", file_system as JsonValue, place));
  }
  return found;
}

/**
 * The app `caddy.filesystems`: checks the file systems in the main thread. The handlers that read them open them in
 * their own threads, see {@link openFileSystems}.
 */
export const filesystemsApp = defineModule({
  id: filesystemsAppName,
  isApp: true,
  config: schema,
  async provision(config, context): Promise<App> {
    await load(config, context);
    return { async start() {}, activate() {}, async stop() {} };
  },
});

/**
 * The file systems that a handler or matcher may read; empty without the app.
 * @param name name in its config; a name with placeholders is known only at the request
 * @throws ServerError of a file system; MODULE_CONFIG for a name that the app does not have
 */
export async function openFileSystems(
  context: ModuleContext,
  name: string | null | undefined,
): Promise<NamedFileSystems> {
  const config = context.appConfig(filesystemsAppName);
  const decoded = config === undefined ? undefined : schema.safeParse(config);
  // A config with a fault is refused by the app itself, with the path of the fault.
  const found: NamedFileSystems = decoded?.success ? await load(decoded.data, context) : new Map();
  const isOwn = !name || name === "default" || name.includes("{");
  // Without the app, each request gets 404, as in Caddy.
  if (found.size > 0 && !isOwn && !found.has(name)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `fs: no file system is named ${JSON.stringify(name)}: there are ${[...found.keys()].join(", ")}`,
    );
  }
  return found;
}
