// Each module provides its own text form, so this package needs no list of modules. A directive converts text to JSON.
// A writer converts this JSON back to text, and refuses JSON that no text can express.
//
// This file adds members to the interface of `server-core/src/modules/module-text.ts`, which has only `before` and
// `after`. Through this interface, the core can store texts without importing this package.

import type { Directive } from "./directives/directive.ts";
import type { MatcherReader, ModuleReader, OptionReader } from "./modules/module-reader.ts";
import type { MatcherWriter } from "./to-text/matchers/matcher-writer.ts";
import type { OptionWriter, WrapperWriter } from "./to-text/options/option-writer.ts";
import type { HandlerWriter, RunWriter } from "./to-text/routes/handler-writer.ts";

export type { ModuleText } from "server-core/modules/module-text";

declare module "server-core/modules/module-text" {
  /**
   * The text form of a module in serverfiles. Every part is optional: without any, the module is configured only in
   * JSON.
   */
  interface ModuleText {
    /** For a handler: the directive with the handler's name. */
    readonly directive?: Directive;
    /** For a handler: other directives for the same handler, by name. */
    readonly directives?: Readonly<Record<string, Directive>>;
    /** For a handler: writes its JSON as its directive. */
    readonly toText?: HandlerWriter;
    /** For a handler: writes several routes as one directive, if its directive creates several routes. */
    readonly runToText?: RunWriter;
    /** For a module that another module's line names, such as an encoder or a policy: reads the text after its name. */
    readonly readText?: ModuleReader;
    /** For a matcher: reads the lines with its name. */
    readonly readMatcher?: MatcherReader;
    /** For a matcher: writes its lines. */
    readonly writeMatcher?: MatcherWriter;
    /** For a listener wrapper: writes its JSON as a line. */
    readonly writeWrapper?: WrapperWriter;
    /** For an app: reads the global option with the app's name. */
    readonly readOption?: OptionReader;
    /** For an app: writes the global option with the app's name. */
    readonly writeOption?: OptionWriter;
  }
}
