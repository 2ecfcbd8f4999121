// Distributed Fourier transforms: include this (and shardfft/mpi.hpp where MPI is used). Programs around them find more
// in headers of their own: collective, verify, noise, environment, text, mpi_plugin, and those in programs/.
#pragma once

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/dlpack.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/halo.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/options.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/strided.hpp"
#include "shardfft/tune.hpp"
#include "shardfft/version.hpp"
#include "shardfft/view.hpp"
