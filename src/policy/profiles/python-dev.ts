import type { ProfileData } from '../profile/schema.ts';

/** Without PIP_INDEX_URL and its like: their values often carry a password. */
export const PYTHON_DEV: ProfileData = {
  meta: { name: 'python-dev', description: 'Python work: environments and their managers, no index credentials' },
  extends: 'default',
  environment: {
    allow_vars: [
      ...['VIRTUAL_ENV', 'CONDA_DEFAULT_ENV', 'CONDA_PREFIX', 'CONDA_EXE', 'PYENV_ROOT', 'PYENV_VERSION'],
      ...['PIPX_HOME', 'PIPX_BIN_DIR', 'PIP_CACHE_DIR', 'UV_CACHE_DIR', 'UV_PYTHON', 'POETRY_HOME', 'POETRY_CACHE_DIR'],
      ...['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONUTF8', 'CI'],
    ],
  },
};
