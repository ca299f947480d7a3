import type { Ingress, IngressClass } from "../cluster/kube-object.ts";

const oldAnnotation = "kubernetes.io/ingress.class";
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

/**
 * The Ingresses that this controller serves: those whose class names this controller, and those without a class when a
 * default class names it. The old annotation counts where there is no `ingressClassName`.
 */
export function ownIngresses(
  ingresses: readonly Ingress[],
  classes: readonly IngressClass[],
  controllerName: string,
): Ingress[] {
  const own = classes.filter(({ spec }) => spec?.controller === controllerName);
  const names = new Set(own.map(({ metadata }) => metadata.name));
  const isDefault = own.some(({ metadata }) => metadata.annotations?.[defaultAnnotation] === "true");
  return ingresses.filter(({ spec, metadata }) => {
    const name = spec?.ingressClassName ?? metadata.annotations?.[oldAnnotation];
    return name === undefined ? isDefault : names.has(name);
  });
}
