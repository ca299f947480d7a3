// A module brings its text along, so that the serverfile has no list of modules. A directive reads text into JSON;
// a writer turns the same JSON back into text, and refuses JSON that no text produces.
//
// This file adds members to the interface of `server-core/src/modules/module-text.ts`, which has only `before` and `after`.
// So the core can hold texts without importing this package.

import type { Directive } from "./directives/directive.ts";
import type { MatcherReader, ModuleReader, OptionReader } from "./modules/module-reader.ts";
import type { MatcherWriter } from "./to-text/matchers/matcher-writer.ts";
import type { OptionWriter, WrapperWriter } from "./to-text/options/option-writer.ts";
import type { HandlerWriter, RunWriter } from "./to-text/routes/handler-writer.ts";

export type { ModuleText } from "server-core/modules/module-text";

declare module "server-core/modules/module-text" {
  /** The text of a module in serverfiles. Every part is optional: a module without text is configured in JSON only. */
  interface ModuleText {
    /** For a handler: the directive with the handler's name. */
    readonly directive?: Directive;
    /** For a handler: further directives that make it, by name. */
    readonly directives?: Readonly<Record<string, Directive>>;
    /** For a handler: writes its JSON as a directive. */
    readonly toText?: HandlerWriter;
    /** For a handler: writes several routes back as one directive, where a directive makes several. */
    readonly runToText?: RunWriter;
    /** For a module that other lines name, as an encoder or a policy: reads what follows its name. */
    readonly readText?: ModuleReader;
    /** For a matcher: reads its lines. */
    readonly readMatcher?: MatcherReader;
    /** For a matcher: writes it back. */
    readonly writeMatcher?: MatcherWriter;
    /** For a listener wrapper: writes it back. */
    readonly writeWrapper?: WrapperWriter;
    /** For an app: reads the global option with the app's name. */
    readonly readOption?: OptionReader;
    /** For an app: writes it back as that option. */
    readonly writeOption?: OptionWriter;
  }
}
