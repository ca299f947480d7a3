import { ServerError } from "server-core/errors";
import type { ListedModule, ModuleDefinition } from "server-core/modules/module";
import type { Directive, DirectiveTable } from "./directives/directive.ts";
import { modelOrder } from "./directives/model-order.ts";
import { siteDirectives } from "./directives/site-directives.ts";
import type { ModuleText } from "./module-text.ts";
import {
  type ModuleReader,
  moduleReading,
  type OptionReader,
  type ReadModule,
} from "./modules/module-reader.ts";
import { ownModuleReaders } from "./modules/own-module-readers.ts";
import { type MatcherSetWriter, matcherWriting } from "./to-text/matchers/matcher-writer.ts";
import type { OptionWriter, WrapperWriter } from "./to-text/options/option-writer.ts";
import type { HandlerWriter, RunWriter, TextWriters } from "./to-text/routes/handler-writer.ts";

/** Prefix of a handler's module id. The rest of the id is the name of the handler's directive. */
const handlers = "http.handlers.";
/** Prefix of a matcher's module id. */
const matchers = "http.matchers.";

/** A module of the server, which is loaded on first use, or a module of the user, which is already loaded. */
type Listed = ListedModule | ModuleDefinition;

/** The text form of a module. A lazily listed module is loaded now. */
function textOf(module: Listed | undefined): ModuleText | undefined {
  return module !== undefined && "load" in module ? module.text?.() : module;
}

/** The names of a handler's directives, without loading the handler. */
function directiveNames(module: Listed): readonly string[] {
  if (!module.id.startsWith(handlers)) {
    return [];
  }
  const own = module.id.slice(handlers.length);
  if ("load" in module) {
    return module.text === undefined ? [] : (module.directives ?? [own]);
  }
  return [...(module.directive === undefined ? [] : [own]), ...Object.keys(module.directives ?? {})];
}

/** The order of Caddy, into which this product's additional directives are inserted. */
function orderOf(modules: readonly Listed[]): string[] {
  const order = [...modelOrder];
  for (const module of modules) {
    const { before, after } = module;
    const neighbour = order.indexOf(before ?? after ?? "");
    if (neighbour >= 0) {
      const names = directiveNames(module).filter((name) => !order.includes(name));
      order.splice(neighbour + (before === undefined ? 1 : 0), 0, ...names);
    }
  }
  return order;
}

/**
 * The text forms of a server's modules: directives, readers and writers. Each text form is loaded when a text or a
 * config first names it.
 */
export class TextFeatures implements DirectiveTable, TextWriters {
  /** Names of directives in the order of execution, before any option `order` changes it. */
  readonly order: readonly string[];
  readonly readModule: ReadModule;
  readonly matcherLines: MatcherSetWriter;
  readonly #modules: ReadonlyMap<string, Listed>;
  /** Modules by the names of all their directives. */
  readonly #byDirective = new Map<string, Listed>();

  /** @throws ServerError MODULE_DUPLICATE for two directives with the same name */
  constructor(modules: Iterable<Listed>) {
    const all = [...modules];
    this.#modules = new Map(all.map((module) => [module.id, module]));
    for (const module of all) {
      for (const name of directiveNames(module)) {
        if (this.#byDirective.has(name) || siteDirectives.has(name)) {
          throw new ServerError("MODULE_DUPLICATE", `the directive ${name} of ${module.id} is there already`);
        }
        this.#byDirective.set(name, module);
      }
    }
    this.order = orderOf(all);
    this.readModule = moduleReading(
      (namespace, name) => this.#reader(namespace, name),
      (name) => this.#matcherText(name)?.readMatcher,
    );
    this.matcherLines = matcherWriting((name) => this.#matcherText(name)?.writeMatcher);
  }

  /** Names of all directives. */
  get names(): string[] {
    return [...this.#byDirective.keys(), ...siteDirectives.keys()];
  }

  /** True when a directive with the name exists. No module is loaded. */
  has(name: string): boolean {
    return this.#byDirective.has(name) || siteDirectives.has(name);
  }

  /**
   * The directive; undefined for an unknown name. The module's text form is loaded now.
   * @throws ServerError MODULE_LOAD when the module's text form does not contain the directive that it lists
   */
  get(name: string): Directive | undefined {
    const module = this.#byDirective.get(name);
    if (module === undefined) {
      return siteDirectives.get(name);
    }
    const { directive, directives = {} } = textOf(module) ?? {};
    const found = Object.hasOwn(directives, name) ? directives[name] : directive;
    if (found === undefined) {
      throw new ServerError("MODULE_LOAD", `module ${module.id} has no directive ${name}, as its list says`);
    }
    return found;
  }

  /** The reader of an app's global option; undefined for any other option. */
  optionReaderOf(name: string): OptionReader | undefined {
    return name.includes(".") ? undefined : textOf(this.#modules.get(name))?.readOption;
  }

  /** The writer of an app's global option; undefined for an app without a global option. */
  optionWriterOf(app: string): OptionWriter | undefined {
    return textOf(this.#modules.get(app))?.writeOption;
  }

  /** The writer of a listener wrapper; undefined for a wrapper without a text form. */
  wrapperWriterOf(wrapper: string): WrapperWriter | undefined {
    return textOf(this.#modules.get(`caddy.listeners.${wrapper}`))?.writeWrapper;
  }

  /** The writer of a handler; undefined for a handler without a text form. */
  writerOf(handler: string): HandlerWriter | undefined {
    return textOf(this.#modules.get(handlers + handler))?.toText;
  }

  /** The writers of the given handlers that write several routes as one directive. */
  runWritersOf(handlerNames: ReadonlySet<string>): RunWriter[] {
    return [...handlerNames].flatMap((name) => textOf(this.#modules.get(handlers + name))?.runToText ?? []);
  }

  #matcherText(name: string): ModuleText | undefined {
    return textOf(this.#modules.get(matchers + name));
  }

  /** The reader of a module that a line names: in `encode zstd`, the name `zstd` means `http.encoders.zstd`. */
  #reader(namespace: string, name: string): ModuleReader | undefined {
    const own = ownModuleReaders[namespace];
    return own !== undefined && Object.hasOwn(own, name)
      ? own[name]
      : textOf(this.#modules.get(`${namespace}.${name}`))?.readText;
  }
}
