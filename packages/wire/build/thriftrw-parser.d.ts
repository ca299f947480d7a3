/** thriftrw has no type declarations, so this file declares the parts of its syntax tree that the generator reads. */
declare module "thriftrw/thrift-idl.js" {
  export interface Identifier {
    readonly type: "Identifier";
    /** `Tag`, or `tracing.Tag` for a type of an included file. */
    readonly name: string;
    readonly line: number;
  }

  export type TypeNode =
    | Identifier
    | { readonly type: "BaseType"; readonly baseType: string }
    | { readonly type: "List"; readonly valueType: TypeNode }
    | { readonly type: "Set" | "Map" };

  export interface FieldNode {
    readonly id: { readonly value: number; readonly line: number };
    readonly name: string;
    readonly valueType: TypeNode;
    readonly required: boolean;
    readonly optional: boolean;
  }

  export interface EnumNode {
    readonly type: "Enum";
    readonly id: Identifier;
    readonly definitions: readonly {
      readonly id: Identifier;
      readonly value: { readonly value: number } | null;
    }[];
  }

  export interface StructNode {
    readonly type: "Struct";
    readonly id: Identifier;
    readonly fields: readonly FieldNode[];
  }

  export interface ConstNode {
    readonly type: "Const";
    readonly id: Identifier;
    readonly value: { readonly type: string; readonly value: string | number };
  }

  export interface ServiceNode {
    readonly type: "Service";
    readonly id: Identifier;
    readonly functions: readonly {
      readonly id: Identifier;
      readonly fields: readonly FieldNode[];
      readonly oneway: boolean;
    }[];
  }

  type Definition =
    | EnumNode
    | StructNode
    | ConstNode
    | ServiceNode
    | { readonly type: "Typedef" | "Union" | "Exception" | "Senum"; readonly id: Identifier };

  const parser: {
    /** @throws Error with line and column for a text that is no Thrift */
    parse(text: string): {
      readonly headers: readonly { readonly type: "Include" | "Namespace"; readonly id: unknown }[];
      readonly definitions: readonly Definition[];
    };
  };
  export default parser;
}
