/* fluid_joint.c -- stub */
#include "base/util.h"
#include "execution/fluid_parts.h"
void fluid_joint_fill(hc_fluid *f)
{
  fluid_fill(f);
}
