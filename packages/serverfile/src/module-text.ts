// A module brings its text along, so that the serverfile has no list of modules. A directive reads text into JSON;
// a writer turns the same JSON back into text, and says no when the text could not come to it again.

import type { Directive } from "./directives/directive.ts";
import type { MatcherReader, ModuleReader, OptionReader } from "./modules/module-reader.ts";
import type { MatcherWriter } from "./to-text/matchers/matcher-writer.ts";
import type { OptionWriter, WrapperWriter } from "./to-text/options/option-writer.ts";
import type { HandlerWriter, RunWriter } from "./to-text/routes/handler-writer.ts";

export type { ModuleText } from "server-core/modules/module-text";

declare module "server-core/modules/module-text" {
  /** The text of a module in serverfiles. All of it is optional: a module without text is set up in JSON only. */
  interface ModuleText {
    /** For a handler: the directive of its own name. */
    readonly directive?: Directive;
    /** For a handler: further directives that make it, by name. */
    readonly directives?: Readonly<Record<string, Directive>>;
    /** For a handler: writes it back as one of its directives. */
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
    /** For an app: reads the global option of its name. */
    readonly readOption?: OptionReader;
    /** For an app: writes it back as that option. */
    readonly writeOption?: OptionWriter;
  }
}
