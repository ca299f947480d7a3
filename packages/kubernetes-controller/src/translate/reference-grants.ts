import type { ReferenceGrant } from "../cluster/gateway-object.ts";

/** A reference from one object to another. Core kinds have the group "". */
export interface Reference {
  readonly fromKind: string;
  readonly fromNamespace: string;
  readonly toGroup: string;
  readonly toKind: string;
  readonly toNamespace: string;
  readonly toName: string;
}

const gatewayGroup = "gateway.networking.k8s.io";

/** True when a reference is allowed. A reference into another namespace needs a ReferenceGrant there. */
export function isGranted(grants: readonly ReferenceGrant[], reference: Reference): boolean {
  const { fromKind, fromNamespace, toGroup, toKind, toNamespace, toName } = reference;
  return (
    fromNamespace === toNamespace ||
    grants.some(
      ({ metadata, spec }) =>
        metadata.namespace === toNamespace &&
        spec?.from?.some(
          ({ group, kind, namespace }) =>
            group === gatewayGroup && kind === fromKind && namespace === fromNamespace,
        ) === true &&
        spec.to?.some(
          ({ group, kind, name }) =>
            group === toGroup && kind === toKind && (name === undefined || name === "" || name === toName),
        ) === true,
    )
  );
}
