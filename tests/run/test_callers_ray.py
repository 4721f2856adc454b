"""A process that uses Ray for its own ends: bgsim joins in and leaves it as it was."""

from __future__ import annotations

import json

import pytest

import bgsim
from tests.children import run_python

CALLER = """
import json, logging, sys
import ray
ray.init(address="local", num_cpus=2, include_dashboard=False, object_store_memory=128 << 20,
         log_to_driver=False, logging_level=logging.ERROR)
import bgsim
kept = ray.put("mine")
results = [bgsim.rollout("start", trials=300, executor="ray", **more)
           for more in ({}, {"address": ray.get_runtime_context().gcs_address}, {"workers": 1})]
try:
    bgsim.rollout("start", trials=300, executor="ray", address=sys.argv[1])
except bgsim.BgsimError as error:
    refusal = str(error)
print(json.dumps([[found.equity for found in results], ray.get(kept), refusal]))
ray.shutdown()
"""


@pytest.mark.slow
def test_the_callers_ray_is_used_and_left_running(ray_head):
    done = run_python("-c", CALLER, ray_head, RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
    assert (done.returncode, done.stderr) == (0, "")
    equities, kept, refusal = json.loads(done.stdout)
    assert equities == [bgsim.rollout("start", trials=300).equity] * 3
    assert kept == "mine"
    assert refusal.startswith("this process uses Ray at ")
    assert f"leave out the address {ray_head}" in refusal
