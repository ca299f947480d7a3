import type { parse } from "@bufbuild/cel";

type Expr = NonNullable<ReturnType<typeof parse>["expr"]>;

/** Lists the direct child expressions. */
export function childrenOf(expr: Expr): (Expr | undefined)[] {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case "callExpr":
      return [exprKind.value.target, ...exprKind.value.args];
    case "selectExpr":
      return [exprKind.value.operand];
    case "listExpr":
      return exprKind.value.elements;
    case "structExpr":
      return exprKind.value.entries.flatMap(({ keyKind, value }) => [
        keyKind.case === "mapKey" ? keyKind.value : undefined,
        value,
      ]);
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return [iterRange, accuInit, loopCondition, loopStep, result];
    }
    default:
      return [];
  }
}
