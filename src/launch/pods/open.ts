import type { ParentEnv } from '../../host/parent-env.ts';
import { Api } from './api.ts';
import { apiAccess } from './kubeconfig.ts';
import { Pods, type PodsOptions } from './pods.ts';
import { readTemplate } from './template.ts';

interface Settings extends Omit<PodsOptions, 'api' | 'template'> {
  readonly file: string;
}

/** The pods of a front, once the API server has said which are there. */
export async function openPods(env: ParentEnv, { file, ...options }: Settings): Promise<Pods> {
  const template = readTemplate(file);
  const pods = new Pods({ ...options, template, api: new Api(apiAccess(env)) });
  await pods.start();
  return pods;
}
