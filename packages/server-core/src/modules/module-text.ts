/**
 * The text of a module: a reader of its lines, and a writer that makes them. The core only keeps it beside the module.
 * The package of the format declares the members for that: see `serverfile/module-text`.
 */
export interface ModuleText {
  /** The directive that runs right after this one, unless the text orders otherwise. */
  readonly before?: string;
  /** The directive that runs right before this one, unless the text orders otherwise. */
  readonly after?: string;
}

/** The text of a module in a list: its names are known before its file is loaded. */
export interface ListedText {
  /** Names of its directives; absent: the handler's own name. */
  readonly directives?: readonly string[];
  /** Directive that this one is sorted before. */
  readonly before?: string;
  /** Directive that this one is sorted after. */
  readonly after?: string;
  /** Absent for a module that no text names. */
  readonly text?: () => ModuleText;
}
