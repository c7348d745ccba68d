/** Whether Node has loaded this part of itself, which tells what this process can have done. */
export function hasLoaded(part: string): boolean {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  return moduleLoadList.includes(`NativeModule ${part}`);
}
