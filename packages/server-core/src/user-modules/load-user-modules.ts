import { errorAt, messageOf, ServerError } from "../errors.ts";
import type { ListedModule, ModuleDefinition } from "../modules/module.ts";
import { type ModuleApi, ModuleRegistry } from "../modules/module-registry.ts";
import { importModule } from "./import-module.ts";

/** An entry of a registry. */
type RegisteredModule = ModuleDefinition | ListedModule;

const importTimeoutMs = 10_000;
const idPattern = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

function refuse(name: string, why: string, cause?: unknown): ServerError {
  return new ServerError("MODULE_LOAD", `loading module '${name}': ${why}`, { cause });
}

/** Reason why an import failed; for a syntax error it includes the line, which the error's message lacks. */
function importFault(error: unknown): string {
  const place = error instanceof SyntaxError ? /^file:\S+/.exec(error.stack ?? "")?.[0] : undefined;
  return place === undefined ? messageOf(error) : `${messageOf(error)}, at ${place}`;
}

async function importWithin(
  name: string,
  folders: readonly string[],
  api: ModuleApi | undefined,
): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(refuse(name, `it is not ready after ${importTimeoutMs / 1_000} s`)),
    importTimeoutMs,
  );
  try {
    return await Promise.race([importModule(name, folders, api), late.promise]);
  } catch (error) {
    throw error instanceof ServerError && error.code === "MODULE_LOAD"
      ? error
      : refuse(name, importFault(error), error);
  } finally {
    clearTimeout(timer);
  }
}

function isDefinition(value: unknown): value is ModuleDefinition {
  const { id, config, provision } = (value ?? {}) as Partial<Record<keyof ModuleDefinition, unknown>>;
  const schema = (config ?? {}) as { readonly safeParse?: unknown; readonly _zod?: unknown };
  return (
    typeof id === "string" &&
    idPattern.test(id) &&
    typeof provision === "function" &&
    typeof schema.safeParse === "function" &&
    schema._zod !== undefined
  );
}

/** A module of the user, and the name that the config gives its file or package. */
interface UserModule {
  readonly definition: ModuleDefinition;
  readonly from: string;
}

/**
 * Loads user modules.
 * @param names names of files, `./hello.ts` or absolute, or of npm packages, in any form that `import` accepts except
 * URLs
 * @param folders from which names are resolved: the server's working folder, then folders of packages
 * @param api the part of this program that the modules may import
 * @throws ServerError MODULE_LOAD with the fault of the module and its place in the config
 */
async function loadUserModules(
  names: readonly string[],
  folders: readonly string[],
  api: ModuleApi | undefined,
): Promise<UserModule[]> {
  const modules: UserModule[] = [];
  for (const [position, name] of names.entries()) {
    try {
      if (/^[a-z][a-z0-9+.-]+:/i.test(name) || name === "") {
        throw refuse(name, "expected the path of a file or the name of a package");
      }
      const exported = ((await importWithin(name, folders, api)) as { readonly default?: unknown }).default;
      const list = Array.isArray(exported) ? (exported as unknown[]) : [exported];
      for (const each of list) {
        if (!isDefinition(each)) {
          throw refuse(
            name,
            "its default export is neither a module, made by defineModule, nor a list of them",
          );
        }
        modules.push({ definition: each, from: name });
      }
    } catch (error) {
      throw errorAt(`/config/modules/${position}`, error);
    }
  }
  return modules;
}

/**
 * The modules for a config: the server's own modules, and the modules that the config names. Every thread that runs a
 * config calls this function first.
 * @param names the member `modules` of the document
 * @param folders folders in which names are looked up. Default: the working folder, then the registry's folders of
 * packages
 * @returns `registry` itself when the config names no modules
 * @throws ServerError MODULE_LOAD, MODULE_DUPLICATE; after an error, only effects of the imports themselves remain
 */
export async function registryFor(
  registry: ModuleRegistry,
  names: readonly string[],
  folders: readonly string[] = [process.cwd(), ...(registry.api?.packageFolders ?? [])],
): Promise<ModuleRegistry> {
  if (names.length === 0) {
    return registry;
  }
  const own = await loadUserModules(names, folders, registry.api);
  // A module from an installed package replaces the server's own module of the same package and id.
  const isReplaced = (listed: RegisteredModule) =>
    "package" in listed &&
    own.some(({ definition, from }) => definition.id === listed.id && from === listed.package);
  const others = registry.listed.filter((listed) => !isReplaced(listed));
  return new ModuleRegistry([...others, ...own.map(({ definition }) => definition)], registry.api, false);
}
