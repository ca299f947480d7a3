/** An operand: a value, and the fields read from it. */
export type Operand =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "dot" }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "function"; readonly name: string; readonly line: number }
  | { readonly kind: "pipeline"; readonly pipeline: Pipeline }
  | {
      readonly kind: "fields";
      readonly of: Operand;
      readonly names: readonly string[];
      readonly line: number;
    };

/** A call: a function, a method, or one operand alone. */
export interface Command {
  /** Function or value at the start of the command. */
  readonly head: Operand;
  /** Arguments. In a pipeline the previous result is appended. */
  readonly args: readonly Operand[];
  /** Line from 1, for messages. */
  readonly line: number;
}

/** Commands connected by `|`: `.Name | upper | printf "%s!"`. */
export interface Pipeline {
  /** Each result becomes the last argument of the next command. */
  readonly commands: readonly Command[];
  /** `$x :=` declares, `$x =` sets; two in `range`. */
  readonly variables: readonly string[];
  /** True for `:=`, which declares variables; `=` assigns variables of an outer block. */
  readonly declares: boolean;
}

/**
 * - `text`: printed unchanged
 * - `output`: the value of a pipeline is printed, unless it sets a variable
 * - `if`, `with`, `range`: a body, and an alternative
 * - `template`: calls another template with a new dot
 * - `break`, `continue`: ends or continues the enclosing `range`
 */
export type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipeline: Pipeline;
      readonly body: Block;
      readonly otherwise: Block;
    }
  | {
      readonly kind: "template";
      readonly name: string;
      readonly pipeline: Pipeline | undefined;
      readonly line: number;
    }
  | { readonly kind: "break" | "continue" };

/** Nodes that are executed in order. */
export type Block = readonly TemplateNode[];

/** A parsed template, and the templates that it defines. */
export interface ParsedTemplate {
  /** Nodes outside any definition. */
  readonly body: Block;
  /** Bodies of `define` and `block` by name. */
  readonly defined: ReadonlyMap<string, Block>;
}
