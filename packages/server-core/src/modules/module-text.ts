/**
 * Reader and writer for a module in a text format. The core only stores the reader and writer with the module, so this
 * interface contains only the place of a directive. `serverfile/src/module-text.ts` adds the readers and writers to
 * this interface by `declare module`, and modules import the type from there.
 */
export interface ModuleText {
  /** The directive directly after this one, unless the text has another order. */
  readonly before?: string;
  /** The directive directly before this one, unless the text has another order. */
  readonly after?: string;
}

/** Directive names of a listed module, which are known before its file is loaded. */
export interface ListedText {
  /** Names of its directives; absent: the handler's own name. */
  readonly directives?: readonly string[];
  /** Directive that this one is sorted before. */
  readonly before?: string;
  /** Directive that this one is sorted after. */
  readonly after?: string;
  /** Text form of the module; absent when texts cannot contain the module. */
  readonly text?: () => ModuleText;
}
