import "./loading.css";

/** Says what is waited for. It draws nothing that could be taken for data, such as rows or an axis. */
export function Loading({ children }: { children: string }) {
  return (
    <div className="loading" role="status" aria-busy="true">
      <span>{children}</span>
      <progress aria-label={children} />
    </div>
  );
}
